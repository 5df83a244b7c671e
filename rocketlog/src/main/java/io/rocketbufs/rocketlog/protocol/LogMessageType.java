package io.rocketbufs.rocketlog.protocol;

/** The types of messages. {@link LogMessageLayout} refers to the layout of each type. */
public enum LogMessageType {
    /** Requests the topics whose names sort after a given name. */
    DESCRIBE(1),
    /** Answers DESCRIBE. */
    DESCRIBED(2),
    /** Creates a topic. */
    CREATE(3),
    /** Answers CREATE when the disk has stored the topic. */
    CREATED(4),
    /** Answers any request that the broker refuses. */
    REFUSED(5),
    /** Announces a producer, whose batches will arrive in one of the client's buffers. */
    PRODUCE(6),
    /** Answers PRODUCE when the broker has subscribed to the buffer and created the buffer for the results. */
    PRODUCING(7),
    /** Requests the segment of a partition that contains the first record to read. */
    OPEN(8),
    /** Answers OPEN with a grant to read the segment. */
    OPENED(9),
    /** Closes a segment. There is no response. */
    CLOSE(10),
    /** Requests the right to write batches into the log of a partition, alone or together with other producers. */
    ACQUIRE(11),
    /** Answers ACQUIRE with a grant to write to the memory after the last batch. */
    ACQUIRED(12),
    /** Deletes a topic and all its records. */
    DELETE(13),
    /** Answers DELETE when the topic no longer exists. */
    DELETED(14),
    /** Requests the state of a topic's partitions, starting with a given partition. */
    EXAMINE(15),
    /** Answers EXAMINE. */
    EXAMINED(16),
    /** Requests READY when the next records of open segments can be read. */
    WAIT(17),
    /** Notifies a client that has sent WAIT that there may be records to read. */
    READY(18);

    private final int code;

    LogMessageType(int code) {
        this.code = code;
    }

    /** Returns the number that represents the type in messages. */
    public int code() {
        return code;
    }

    /** Returns the type with the given number, or null if there is no such type. */
    static LogMessageType of(int code) {
        LogMessageType[] types = values();
        return code >= 1 && code <= types.length ? types[code - 1] : null;
    }
}
