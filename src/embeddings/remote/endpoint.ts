import type { EmbeddingSettings } from "../embedding-settings.js";
import { PROVIDERS, type RemoteProvider } from "../provider-table.js";

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

export interface Endpoint {
  readonly provider: RemoteProvider;
  /** Base URL without credentials, for the log. */
  readonly base: string;
  /** The full URL without credentials. */
  readonly url: string;
  readonly authorization: string | undefined;
}

/**
 * Where to POST `path` for these settings. Credentials inside the URL become a basic authorization header, because
 * fetch refuses such URLs with an error that quotes them; an API key wins over them.
 * @throws Error, without quoting either, when the base URL or the key cannot be used.
 */
export function endpointFor(
  provider: RemoteProvider,
  path: string,
  settings: Pick<EmbeddingSettings, "baseUrl" | "apiKey">,
): Endpoint {
  const base = parseBase(provider, settings.baseUrl ?? PROVIDERS[provider].baseUrl);
  const authorization = authorizationFor(base, settings.apiKey);
  base.username = "";
  base.password = "";
  const trimmed = `${base.origin}${base.pathname.replace(/\/+$/, "")}`;
  return { provider, base: trimmed, url: `${trimmed}/${path}${base.search}`, authorization };
}

function parseBase(provider: RemoteProvider, baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new Error(`the base URL of the embedding provider ${provider} is not an http(s) URL`);
}

function authorizationFor(base: URL, apiKey: string | undefined): string | undefined {
  const key = apiKey?.trim() ?? "";
  // Checked here, because fetch would quote the key in its own error.
  if (!VISIBLE_ASCII.test(key)) throw new Error("the API key of the embedding provider has characters no key can have");
  if (key !== "") return `Bearer ${key}`;
  if (base.username === "" && base.password === "") return undefined;
  const credentials = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
  return `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`;
}
