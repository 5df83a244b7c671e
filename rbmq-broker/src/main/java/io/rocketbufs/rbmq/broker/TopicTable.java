package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * A map from names to topics. A broker uses a hash table; if several brokers share topics, a name service can replace
 * it.
 *
 * <p><b>Thread-safety:</b> must be called while holding the lock of {@link Topics}. <b>Source:</b> RocketBufs 4.1:
 * "implemented using a hash table, although in a production setting, this mapping could be coordinated using a
 * distributed key-value store".
 */
interface TopicTable {
    /** Returns the topic with the given name, creating it if necessary. */
    Topic getOrCreate(String name);

    /** Returns the topic with the given name, or null if there is none. */
    Topic get(String name);

    /** Removes a topic that has no publisher, no message and no subscriber. */
    void remove(Topic topic);

    /** Returns all topics, sorted by name. */
    Collection<Topic> all();

    /** Performs an action for each topic, in any order. */
    default void forEach(Consumer<Topic> action) {
        all().forEach(action);
    }

    /** Returns the topics that match a filter and have a buffer or a message, in any order. */
    List<Topic> notEmpty(TopicFilter filter);

    /** Returns the number of topics. */
    int count();
}
