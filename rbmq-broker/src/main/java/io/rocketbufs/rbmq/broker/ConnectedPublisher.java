package io.rocketbufs.rbmq.broker;

/**
 * Who a connected publisher is.
 *
 * @param number the broker's number for it
 * @param name what it calls itself
 * @param peer its address
 */
record ConnectedPublisher(int number, String name, String peer) {
    @Override
    public String toString() {
        return "Publisher " + number + " \"" + name + "\" at " + peer;
    }
}
