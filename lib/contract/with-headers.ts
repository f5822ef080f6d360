type Headers = Readonly<Record<string, string>>;

/** The body of a success with headers of its own; those of every response are added by the envelope. */
export class WithHeaders<Body> {
  readonly body: Body;
  readonly headers: Headers;

  constructor(body: Body, headers: Headers) {
    this.body = body;
    this.headers = headers;
  }
}
