package io.rocketbufs.rbmq.broker;

import java.util.Collection;

/**
 * Finds topics by their names. A broker keeps a hash table; where several brokers share topics, a name service may take
 * its place.
 *
 * <p><b>Thread-safety:</b> under the lock of {@link Topics}. <b>Source:</b> RocketBufs 4.1: "implemented using a hash
 * table, although in a production setting, this mapping could be coordinated using a distributed key-value store".
 */
interface TopicTable {
    /** The topic of a name, made if need be. */
    Topic getOrCreate(String name);

    /** The topic of a name, or null. */
    Topic get(String name);

    /** Forgets a topic that nobody uses. */
    void remove(Topic topic);

    /** All topics, by name. */
    Collection<Topic> all();

    /** Number of topics. */
    int count();
}
