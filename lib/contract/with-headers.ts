type Headers = Readonly<Record<string, string>>;

/** The body of a success with its own headers. The envelope adds those that every response has. */
export class WithHeaders<Body> {
  readonly body: Body;
  readonly headers: Headers;

  constructor(body: Body, headers: Headers) {
    this.body = body;
    this.headers = headers;
  }
}
