package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The places up to which a subscriber has read the publishers' buffers of one broker on connections that were lost.
 *
 * <p><b>Thread-safety:</b> the worker of the current connection. {@link CurrentWorker} hands it over to the next one.
 */
final class Reached {
    private final Map<Integer, Place> places = new HashMap<>();
    /** Filters whose publishers have joined and left in the meantime, which has not been reported yet. */
    private final Set<String> departed = new TreeSet<>();

    private long brokerId;

    /**
     * The place in one buffer at which reading continues.
     *
     * @param publisher the publisher's number
     * @param position position in the broker's buffer, at the end of a message
     * @param waitingLength number of bytes after it, including headers, that had already arrived
     * @param isRemoved true when the broker has reported that the publisher has left
     * @param isEnded true when the buffer has ended, but the callback has not been told that the publisher has left
     * @param livePosition position in the broker's buffer up to which the messages are older than the subscriptions; 0
     *     when all those have been read
     */
    record Place(
            String topic,
            int publisher,
            long position,
            long waitingLength,
            boolean isRemoved,
            boolean isEnded,
            long livePosition) {
        /** The place in a buffer that is new: its beginning. */
        static final Place NEW = new Place("", 0, 0, 0, false, false, 0);

        /** Returns the gap if this place is never reached again. */
        private Gap abandoned() {
            return new Gap(topic, publisher, waitingLength, Gap.Reason.DISCONNECTED);
        }

        /**
         * Tells the callback that the publisher has left.
         *
         * @param failure null when the broker gave no reason
         */
        void reportEnd(SubscriberCallback callback, String failure) {
            callback.onPublisherEnd(topic, publisher, failure);
        }
    }

    /** Remembers the place in a buffer. */
    void put(int bufferId, Place place) {
        places.put(bufferId, place);
    }

    /** Forgets the place in a buffer whose publisher has left while the subscriber was connected. */
    void remove(int bufferId) {
        places.remove(bufferId);
    }

    /** Returns the number of buffers of matching topics whose publishers are not known to have left. */
    long count(TopicFilter filter) {
        return places.values().stream()
                .filter(place -> !place.isRemoved() && filter.matches(place.topic()))
                .count();
    }

    /** Returns true when the place in a buffer is remembered. */
    boolean has(int bufferId) {
        return places.containsKey(bufferId);
    }

    /**
     * Returns true when the place in a buffer is remembered, and the broker has reported that its publisher has left.
     */
    boolean isRemoved(int bufferId) {
        Place place = places.get(bufferId);
        return place != null && place.isRemoved();
    }

    /** Removes and returns the place in a buffer; returns {@link Place#NEW} when the buffer is new. */
    Place take(int bufferId) {
        Place place = places.remove(bufferId);
        return place == null ? Place.NEW : place;
    }

    /** Returns the places in buffers that had ended. If they are forgotten, their publishers have left. */
    List<Place> ended() {
        return places.values().stream().filter(Place::isEnded).toList();
    }

    /** Adds a filter for which publishers have joined and left that the subscriber never knew. */
    void depart(String filter) {
        departed.add(filter);
    }

    /** Returns the topics of all buffers. */
    List<String> topics() {
        return places.values().stream().map(Place::topic).distinct().sorted().toList();
    }

    /** Removes everything; returns the topics of all buffers, and the filters of unknown publishers that have left. */
    List<String> takeDeparted() {
        departed.addAll(topics());
        List<String> names = List.copyOf(departed);
        clear();
        return names;
    }

    /** Removes everything; returns the gaps of the data that had arrived and will not be read. */
    List<Gap> takeAbandoned() {
        List<Gap> gaps = places.values().stream()
                .filter(place -> place.waitingLength() > 0)
                .map(Place::abandoned)
                .toList();
        clear();
        return gaps;
    }

    /** Returns true when the places are those of the given broker. */
    boolean isOf(long broker) {
        return brokerId == broker;
    }

    /** Forgets all places; those that follow belong to the given broker. */
    void begin(long broker) {
        clear();
        brokerId = broker;
    }

    private void clear() {
        places.clear();
        departed.clear();
    }
}
