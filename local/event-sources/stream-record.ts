import type { _Record as SdkRecord } from "@aws-sdk/client-dynamodb-streams";
import { REGION } from "../template.ts";

/** A record of a table's stream in the form that Lambda passes to functions. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventVersion: string;
  readonly eventSource: "aws:dynamodb";
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly userIdentity?: { readonly type: string; readonly principalId: string };
  readonly dynamodb: {
    /** In seconds since 1970. DynamoDB Local rounds it to the minute. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Readonly<Record<string, unknown>>;
    readonly NewImage?: Readonly<Record<string, unknown>>;
    readonly OldImage?: Readonly<Record<string, unknown>>;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: string;
  };
}

export function toStreamRecord(record: SdkRecord, streamArn: string): StreamRecord {
  const { eventID = "", eventName = "", eventVersion = "1.1", dynamodb = {}, userIdentity } = record;
  return {
    eventID,
    eventName,
    eventVersion,
    eventSource: "aws:dynamodb",
    awsRegion: REGION,
    eventSourceARN: streamArn,
    ...(userIdentity && {
      userIdentity: { type: userIdentity.Type ?? "", principalId: userIdentity.PrincipalId ?? "" },
    }),
    dynamodb: {
      ApproximateCreationDateTime: Math.floor((dynamodb.ApproximateCreationDateTime?.getTime() ?? 0) / 1000),
      Keys: plainItem(dynamodb.Keys ?? {}),
      ...(dynamodb.NewImage && { NewImage: plainItem(dynamodb.NewImage) }),
      ...(dynamodb.OldImage && { OldImage: plainItem(dynamodb.OldImage) }),
      SequenceNumber: dynamodb.SequenceNumber ?? "",
      SizeBytes: dynamodb.SizeBytes ?? 0,
      StreamViewType: dynamodb.StreamViewType ?? "",
    },
  };
}

function plainItem(item: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)]));
}

/** Bytes become base 64, as in Lambda's binary attributes. */
function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  }
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === "object" && value !== null ? plainItem(value) : value;
}
