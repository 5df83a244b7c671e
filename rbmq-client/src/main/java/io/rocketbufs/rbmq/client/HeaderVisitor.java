package io.rocketbufs.rbmq.client;

/** A callback for each header of a message. */
@FunctionalInterface
public interface HeaderVisitor {
    /**
     * Called for each header, in the order in which the publisher added them.
     *
     * @param header the header, which is valid until this method returns
     */
    void onHeader(Header header);
}
