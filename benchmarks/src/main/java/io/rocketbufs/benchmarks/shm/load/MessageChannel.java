package io.rocketbufs.benchmarks.shm.load;

import java.util.function.LongConsumer;

/**
 * One end of a connection between two processes. It sends numbered messages of a fixed length, and receives the other
 * end's messages.
 *
 * <p><b>Thread-safety:</b> only one thread at a time may send. Received messages are reported on one thread of the
 * library.
 */
interface MessageChannel extends AutoCloseable {
    /**
     * Starts receiving messages.
     *
     * @param onMessage called with the number of each message; may send messages
     */
    void receive(LongConsumer onMessage) throws Exception;

    /** Waits until the other end is ready to receive. */
    void awaitReceiver() throws Exception;

    /**
     * Sends a message; waits if there is no space for it. Within the callback of {@link #receive}, there is always
     * space if each sent message answers a received message.
     */
    void send(long number);

    @Override
    void close();
}
