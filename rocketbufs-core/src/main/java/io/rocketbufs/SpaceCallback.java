package io.rocketbufs;

/** The callback invoked when a refused output segment may be available. */
@FunctionalInterface
public interface SpaceCallback {
    /**
     * Called when subscribers have released so much memory that a refused segment may be available, and when the buffer
     * has ended. Called at least once after each refusal with {@link Segment#NO_SPACE}, unless only open segments
     * occupy the space. Runs on the thread that freed the space; must be quick.
     */
    void onSpace(int bufferId);
}
