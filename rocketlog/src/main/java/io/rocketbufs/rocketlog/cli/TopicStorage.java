package io.rocketbufs.rocketlog.cli;

/** Where a broker keeps the records of a topic. */
enum TopicStorage {
    /** In files, until retention deletes them. */
    DISK,
    /** In memory, until newer records need it, or the broker ends. */
    MEMORY
}
