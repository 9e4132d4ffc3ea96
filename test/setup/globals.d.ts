declare global {
  var stopTestDatabase: (() => Promise<unknown>) | undefined;
}

export {};
