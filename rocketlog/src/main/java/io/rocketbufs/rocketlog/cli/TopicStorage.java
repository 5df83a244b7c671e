package io.rocketbufs.rocketlog.cli;

/** The place where a broker keeps the records of a topic. */
enum TopicStorage {
    /** The broker keeps the records in files until retention deletes them. */
    DISK,
    /** The broker keeps the records in memory until newer records overwrite them or the broker stops. */
    MEMORY
}
