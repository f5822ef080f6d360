import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A step of a trace, as the X-Ray daemon is told of it. */
interface Step {
  readonly name: string;
  readonly trace_id: string;
  readonly fault?: boolean;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export interface XRayDaemon {
  /** What it was told so far; a test may empty it. */
  readonly steps: Step[];
  /** The variables by which an invocation that is traced finds it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Waits until it was told of so many steps. */
  told(count: number): Promise<void>;
  close(): void;
}

/** Stands in for the X-Ray daemon that runs beside every function. */
export async function anXRayDaemon(traceId: string): Promise<XRayDaemon> {
  const socket = createSocket("udp4");
  const steps: Step[] = [];
  socket.on("message", (datagram) => {
    const [, document = ""] = datagram.toString("utf8").split("\n");
    steps.push(JSON.parse(document));
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    steps,
    environment: {
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      LAMBDA_TASK_ROOT: "/var/task",
      AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${socket.address().port}`,
      _X_AMZN_TRACE_ID: `Root=${traceId};Parent=53995c3f42cd8ad8;Sampled=1`,
    },
    async told(count) {
      while (steps.length < count) await once(socket, "message");
    },
    close: () => void socket.close(),
  };
}
