/** The DynamoDB client makes one when it starts and asks it nothing: none of our requests discovers its endpoint. */
export class EndpointCache {}
