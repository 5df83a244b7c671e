package io.rocketbufs.rbmq.broker;

/**
 * The identity of a group.
 *
 * @param filter the filter of its members
 * @param name its name
 */
record GroupKey(String filter, String name) {}
