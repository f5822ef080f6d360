/** The DynamoDB client creates one at start-up but does not use it: the service does not use endpoint discovery. */
export class EndpointCache {}
