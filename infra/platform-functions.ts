import { Duration } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { CandidateTable } from "./candidate-table.ts";
import type { EnvironmentSettings } from "./environments.ts";
import { ServiceFunction } from "./service-function.ts";

interface PlatformFunctionsProps {
  readonly settings: EnvironmentSettings;
  readonly table: CandidateTable;
}

/** What the platform team does by invoking a function, with IAM as the only way in. */
export class PlatformFunctions extends Construct {
  constructor(scope: Construct, id: string, { settings, table }: PlatformFunctionsProps) {
    super(scope, id);
    const platformFunction = (functionId: string, name: string, description: string) =>
      new ServiceFunction(this, functionId, {
        settings,
        name,
        description,
        memorySize: 512,
        timeout: Duration.seconds(15),
        environment: { TABLE_NAME: table.tableName, ENVIRONMENT: settings.name },
      });

    const issueApiKey = platformFunction("IssueApiKey", "issue-api-key", "Issues an organisation's API key");
    table.allow(issueApiKey, "KEY", "PutItem");

    const listApiKeys = platformFunction("ListApiKeys", "list-api-keys", "Lists an organisation's API keys");
    table.allowKeyListing(listApiKeys);

    const revokeApiKey = platformFunction("RevokeApiKey", "revoke-api-key", "Revokes an API key");
    table.allow(revokeApiKey, "KEY", "UpdateItem");
  }
}
