"""A server of the official SDK for Python, over standard input and output, or over HTTP on the port that is given."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("python")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.resource("note://{name}")
def note(name: str) -> str:
    """A note."""
    return "a note about " + name


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
