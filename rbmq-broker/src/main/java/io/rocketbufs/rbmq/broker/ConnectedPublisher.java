package io.rocketbufs.rbmq.broker;

/**
 * The identity of a connected publisher.
 *
 * @param number the broker's number for it
 * @param name its display name
 * @param peer its address
 */
record ConnectedPublisher(int number, String name, String peer) {
    @Override
    public String toString() {
        return "Publisher " + number + " \"" + name + "\" at " + peer;
    }
}
