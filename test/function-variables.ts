const queue = (name: string) => `https://sqs.eu-west-1.amazonaws.com/1/${name}`;

/** What the functions read of their environment when they are imported. The metrics stay off: `POWERTOOLS_DEV`. */
export const FUNCTION_VARIABLES = {
  ALLOWED_WEBHOOK_NETWORKS: "",
  AWS_REGION: "eu-west-1",
  DEAD_LETTER_QUEUE_URL: queue("dead-letters"),
  DELIVERY_QUEUE_URL: queue("deliveries"),
  ENVIRONMENT: "development",
  ERASURE_REQUESTS: "accepted",
  EVENT_RETENTION_DAYS: "30",
  KEYRING_SECRET_ID: "keyring",
  OFFERED_METHODS: "{}",
  RECOVERY_QUEUE_URL: queue("recoveries"),
  RETRY_QUEUE_URL: queue("retries"),
  RETRY_SCHEDULE: "standard",
  SIDE_QUEUE_URL: queue("side"),
  TABLE_NAME: "candidates",
  UNREADABLE_EVENTS_QUEUE_URL: queue("unreadable"),
  UNSWEPT_PARTS_QUEUE_URL: queue("unswept"),
} as const;
