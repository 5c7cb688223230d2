/** What a server refused, or why it could not be reached. */
export class OxError extends Error {
  /** The reason as a code, for example `server.not_found`; `connection` where no answer came. */
  readonly code: string;
  /** What the sentence is about: names, numbers, and what would be lost. */
  readonly args: Record<string, unknown>;
  /** The status of the answer; 0 where none came. */
  readonly status: number;

  constructor(code: string, message: string, args: Record<string, unknown> = {}, status = 0, cause?: unknown) {
    super(message, { cause });
    this.name = "OxError";
    this.code = code;
    this.args = args;
    this.status = status;
  }

  /** True where the same request may be answered later: no answer, too many requests, or a server that is not ready. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  /** The error that an answer stands for. */
  static async of(response: Response): Promise<OxError> {
    const text = await response.text().catch(() => "");
    try {
      const { code, message, args } = JSON.parse(text) as { code: string; message: string; args?: Record<string, unknown> };
      if (typeof code === "string") return new OxError(code, String(message ?? code), args ?? {}, response.status);
    } catch {
      // It comes from something in between, which words its errors in its own way.
    }
    const message = text.slice(0, 500).trim() || response.statusText || `HTTP ${response.status}`;
    return new OxError(`http.${response.status}`, message, {}, response.status);
  }
}
