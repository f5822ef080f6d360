import { candidateLivesOf } from "#candidates/outbox/candidate-lives";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, TableName } from "#runtime/environment";
import { EventFeed } from "#webhooks/feed/event-feed";
import type { FeedService } from "#webhooks/feed/list-events";
import { EventRetentionDays } from "#webhooks/feed/retention";

const ENVIRONMENT = { TABLE_NAME: TableName, EVENT_RETENTION_DAYS: EventRetentionDays };

/** The deployment's event feed. */
export function eventFeedOf(surroundings: WithTable): EventFeed {
  const { TABLE_NAME, EVENT_RETENTION_DAYS } = readEnvironment(ENVIRONMENT, surroundings.variables);
  return new EventFeed(surroundings.documentClient, TABLE_NAME, EVENT_RETENTION_DAYS, surroundings);
}

/** The dependencies for reading the deployment's event feed. */
export function feedServiceOf(surroundings: WithTable): FeedService {
  const { EVENT_RETENTION_DAYS } = readEnvironment(ENVIRONMENT, surroundings.variables);
  return {
    feed: eventFeedOf(surroundings),
    lives: candidateLivesOf(surroundings),
    retentionDays: EVENT_RETENTION_DAYS,
    now: surroundings.now,
  };
}
