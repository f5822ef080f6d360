type Headers = Readonly<Record<string, string>>;

/** The body of a success, with headers specific to it. The envelope adds those that every response has. */
export class WithHeaders<Body> {
  readonly body: Body;
  readonly headers: Headers;

  constructor(body: Body, headers: Headers) {
    this.body = body;
    this.headers = headers;
  }
}
