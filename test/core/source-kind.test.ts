import { describe, expect, it } from "@jest/globals";
import { sourceKind } from "../../src/core/source-kind.js";

describe("sourceKind", () => {
  it.each([
    ...["mail", "drive", "docs", "slack", "notion", "github", "calendar", "x", "twitter", "gmail", "Gmail.com "],
    ...["mail.google.com", "drive.google.com", "docs.google.com", "calendar.google.com", "app.slack.com", "x.com"],
    ...["www.notion.so", "GITHUB.com", "integration", "integration-foo", "integration_foo", "Integration:foo"],
  ])("finds %j to be an integration", (site) => {
    expect(sourceKind(site)).toBe("integration");
  });

  it.each([
    ...[null, "", "chat", "notes", "my-mail", "mailbox", "notmail.google.com", "x.com.evil.example", "xx"],
    ...["integrations", "disintegration-x", "slackware", "github.community", "constructor"],
  ])("finds %j to be local", (site) => {
    expect(sourceKind(site)).toBe("local");
  });
});
