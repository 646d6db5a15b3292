import type { FollowState, RootIdentity, WatchMessage } from "./contract.ts";

/** A root's state, told to main when it changes. */
export interface StateTeller {
  current(): FollowState | null;
  tell(state: FollowState, reason: string | null, root: RootIdentity | null): Promise<void>;
}

export function createStateTeller(
  sourceId: string,
  post: (message: WatchMessage) => Promise<void>,
): StateTeller {
  let current: FollowState | null = null;
  let told = "";
  return {
    current: () => current,
    async tell(state, reason, root) {
      current = state;
      const now = JSON.stringify([state, reason, root]);
      if (now === told) return;
      told = now;
      await post({ type: "state", sourceId, state, reason, root });
    },
  };
}
