export type SourceKind = "integration" | "local";

/**
 * Sources that reach an application through an integration, after trimming and lower case: product names as
 * applications write them, and exact host names (with or without `www.`). No substrings: `my-mail` and
 * `notmail.google.com` are local.
 */
const INTEGRATIONS: ReadonlySet<string> = new Set([
  // generic
  ...["integration", "mail", "email", "e-mail", "drive", "docs", "calendar"],
  // Google
  ...["google", "gmail", "gmail.com", "mail.google.com"],
  ...["google-drive", "google_drive", "google drive", "drive.google.com"],
  ...["google-docs", "google_docs", "google docs", "docs.google.com"],
  ...["google-calendar", "google_calendar", "google calendar", "calendar.google.com"],
  // Microsoft
  ...["outlook", "outlook.com", "outlook.live.com", "outlook.office.com", "outlook.office365.com"],
  ...["onedrive", "onedrive.live.com", "sharepoint", "teams", "teams.microsoft.com"],
  // chat and social
  ...["slack", "slack.com", "app.slack.com", "discord", "discord.com", "x", "x.com", "twitter", "twitter.com"],
  ...["linkedin", "linkedin.com", "telegram", "whatsapp", "zoom", "zoom.us"],
  // work
  ...["notion", "notion.so", "notion.com", "github", "github.com", "gitlab", "gitlab.com"],
  ...["jira", "confluence", "linear", "linear.app", "trello", "trello.com", "asana", "app.asana.com"],
  ...["dropbox", "dropbox.com", "box", "box.com", "app.box.com", "icloud", "icloud.com"],
  ...["hubspot", "salesforce", "zendesk", "intercom", "figma", "figma.com"],
]);

const INTEGRATION_PREFIXES = ["integration-", "integration_", "integration:"] as const;

/** Where a memory came from, by the table above or one of the `integration-`, `integration_`, `integration:` prefixes. */
export function sourceKind(source_site: string | null): SourceKind {
  if (source_site === null) return "local";
  const name = source_site
    .trim()
    .toLowerCase()
    .replace(/^www\./u, "");
  if (INTEGRATIONS.has(name) || INTEGRATION_PREFIXES.some((prefix) => name.startsWith(prefix))) return "integration";
  return "local";
}
