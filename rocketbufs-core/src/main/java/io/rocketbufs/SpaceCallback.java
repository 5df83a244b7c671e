package io.rocketbufs;

/** Is told that it is worth asking for an output segment again. */
@FunctionalInterface
public interface SpaceCallback {
    /**
     * Subscribers have let go of so much that a segment that was refused might be granted now; or the buffer has ended.
     * Called at least once after each refusal with {@link Segment#NO_SPACE}, unless only open segments are in the way,
     * on whatever thread freed the space; must be quick.
     */
    void onSpace(int bufferId);
}
