package io.rocketbufs.rocketlog.protocol;

/** The types of the messages. {@link LogMessageLayout} names the layout of each. */
public enum LogMessageType {
    /** Asks for the topics whose names follow a given one. */
    DESCRIBE(1),
    /** Answers DESCRIBE. */
    DESCRIBED(2),
    /** Creates a topic. */
    CREATE(3),
    /** Answers CREATE, when the disk has stored the topic. */
    CREATED(4),
    /** Answers any request that the broker refuses. */
    REFUSED(5),
    /** Announces a producer, whose batches are in a buffer of the client. */
    PRODUCE(6),
    /** Answers PRODUCE, when the broker has subscribed to the buffer and created the one with the results. */
    PRODUCING(7),
    /** Asks for the segment with an offset of a partition. */
    OPEN(8),
    /** Answers OPEN with a grant to read the segment. */
    OPENED(9),
    /** Closes a segment; there is no answer. */
    CLOSE(10),
    /** Asks for the right to write batches into the log of a partition, alone or together with others. */
    ACQUIRE(11),
    /** Answers ACQUIRE with a grant to write to the memory after the last batch. */
    ACQUIRED(12),
    /** Deletes a topic with all its records. */
    DELETE(13),
    /** Answers DELETE, when the files of the topic have been deleted. */
    DELETED(14),
    /** Asks for the state of a topic's partitions, from one of them on. */
    EXAMINE(15),
    /** Answers EXAMINE. */
    EXAMINED(16),
    /** Asks for READY when the next records of open segments can be read. */
    WAIT(17),
    /** Tells a client that has sent WAIT that there may be something to read. */
    READY(18);

    private final int code;

    LogMessageType(int code) {
        this.code = code;
    }

    /** Returns the number in the message. */
    public int code() {
        return code;
    }

    /** Returns the type with a number, or null if there is none. */
    static LogMessageType of(int code) {
        LogMessageType[] types = values();
        return code >= 1 && code <= types.length ? types[code - 1] : null;
    }
}
