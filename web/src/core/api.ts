// Requests to the server. A failure is thrown as a `Refusal`, whose message is a sentence in the reader's language.

import { language } from "./words.ts";

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly args: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

async function request<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(path, {
    method,
    credentials: "same-origin",
    headers: {
      "Accept-Language": language.peek(),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
  if (answer.ok) {
    const text = await answer.text();
    return (text ? JSON.parse(text) : undefined) as T;
  }
  const problem = (await answer.json().catch(() => ({}))) as { code?: string; message?: string; args?: Record<string, unknown> };
  throw new Refusal(answer.status, problem.code ?? String(answer.status), problem.message ?? answer.statusText, problem.args);
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => request<T>("GET", path, undefined, undefined, signal);
export const post = <T>(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<T> =>
  request<T>("POST", path, body, headers);
export const patch = <T>(path: string, body: unknown): Promise<T> => request<T>("PATCH", path, body);
export const remove = (path: string): Promise<void> => request<void>("DELETE", path);

export const query = (fields: Record<string, string | number | string[] | undefined>): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const it of Array.isArray(value) ? value : [value]) if (it !== undefined && it !== "") params.append(name, String(it));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
};

export const conversation = (id: string, rest = ""): string => `/api/conversations/${encodeURIComponent(id)}${rest}`;
export const project = (key: string, rest = ""): string => `/api/projects/${encodeURIComponent(key)}${rest}`;
