import { candidateLivesOf } from "#candidates/outbox/composition";
import type { WithTable } from "#runtime/dynamodb";
import { readEnvironment, tableNameOf } from "#runtime/environment";
import { EventFeed } from "#webhooks/feed/event-feed";
import type { ListEventsService } from "#webhooks/feed/list-events";
import { EventRetentionDays } from "#webhooks/feed/retention";

const ENVIRONMENT = { EVENT_RETENTION_DAYS: EventRetentionDays };

/** The deployment's event feed. */
export function eventFeedOf(dependencies: WithTable): EventFeed {
  const { EVENT_RETENTION_DAYS } = readEnvironment(ENVIRONMENT, dependencies.variables);
  return new EventFeed(
    dependencies.documentClient,
    tableNameOf(dependencies),
    EVENT_RETENTION_DAYS,
    dependencies,
  );
}

/** The dependencies for listing the deployment's events. */
export function listEventsServiceOf(dependencies: WithTable): ListEventsService {
  const { EVENT_RETENTION_DAYS } = readEnvironment(ENVIRONMENT, dependencies.variables);
  return {
    feed: eventFeedOf(dependencies),
    lives: candidateLivesOf(dependencies),
    retentionDays: EVENT_RETENTION_DAYS,
    now: dependencies.now,
  };
}
