package io.rocketbufs.rocketlog.cli;

/** Where a broker keeps the records of a topic. */
enum TopicStorage {
    /** In files, until retention deletes the records. */
    DISK,
    /** In memory, until newer records need it or the broker stops. */
    MEMORY
}
