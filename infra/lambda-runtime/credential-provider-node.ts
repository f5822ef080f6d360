/** On Lambda, credentials are in environment variables. Omits the SDK's chain of other credential sources. */
export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
