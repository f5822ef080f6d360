/** On Lambda credentials stand in the environment: the chain of every other place they could be in is left out. */
export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";
