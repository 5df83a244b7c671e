package io.rocketbufs;

/** The callback invoked when a refused output segment may be available. */
@FunctionalInterface
public interface SpaceCallback {
    /**
     * Called when a refused segment may be available because subscribers have made progress, or when the buffer has
     * ended. Called at least once after each refusal of {@link ROut#getOutputSegment} with {@link Segment#NO_SPACE},
     * {@link Segment#NO_RECORD} or {@link Segment#WRITES_PENDING}, unless only open segments caused the refusal. Runs
     * on the thread that made the segment available; must return quickly. This can be the producer's own thread, inside
     * {@link ROut#getOutputSegment}, so the callback must not produce.
     */
    void onSpace(int bufferId);
}
