package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The places up to which a subscriber has read the buffers of one broker's publishers over connections that were lost.
 *
 * <p><b>Thread-safety:</b> the worker of the current connection. {@link CurrentWorker} passes this object to the next
 * worker.
 */
final class Reached {
    private final Map<Integer, Place> places = new HashMap<>();
    /** Filters for which publishers have joined and left in the meantime, until this is reported. */
    private final Set<String> departed = new TreeSet<>();

    private long brokerId;

    /**
     * The place in one buffer at which reading continues.
     *
     * @param publisher the publisher's number
     * @param position position in the broker's buffer at which reading continues, at the end of a message
     * @param waitingLength number of bytes after this position, including headers, that had already arrived
     * @param isRemoved true when the broker has reported that the publisher has left
     * @param isEnded true when the buffer has ended, but the publisher's departure has not been reported to the
     *     callback
     * @param livePosition position in the broker's buffer up to which messages are older than the subscriptions; 0 when
     *     all of these have been read
     */
    record Place(
            String topic,
            int publisher,
            long position,
            long waitingLength,
            boolean isRemoved,
            boolean isEnded,
            long livePosition) {
        /** The place for a new buffer, which is read from its beginning. */
        static final Place NEW = new Place("", 0, 0, 0, false, false, 0);

        /** Returns the gap that remains if reading never continues at this place. */
        private Gap abandoned() {
            return new Gap(topic, publisher, waitingLength, Gap.Reason.DISCONNECTED);
        }

        /**
         * Reports to the callback that the publisher has left.
         *
         * @param failure the reason; null if the broker stated none
         */
        void reportEnd(SubscriberCallback callback, String failure) {
            callback.onPublisherEnd(topic, publisher, failure);
        }
    }

    /** Stores the place in a buffer. */
    void put(int bufferId, Place place) {
        places.put(bufferId, place);
    }

    /** Removes the place in a buffer whose publisher has left while the subscriber was connected. */
    void remove(int bufferId) {
        places.remove(bufferId);
    }

    /** Returns the number of buffers of matching topics whose publishers are not known to have left. */
    long count(TopicFilter filter) {
        return places.values().stream()
                .filter(place -> !place.isRemoved() && filter.matches(place.topic()))
                .count();
    }

    /** Returns true if the place in a buffer is stored. */
    boolean has(int bufferId) {
        return places.containsKey(bufferId);
    }

    /**
     * Returns true if the place in a buffer is stored, and the broker has reported that the buffer's publisher has
     * left.
     */
    boolean isRemoved(int bufferId) {
        Place place = places.get(bufferId);
        return place != null && place.isRemoved();
    }

    /** Removes and returns the place in a buffer; returns {@link Place#NEW} if the buffer is new. */
    Place take(int bufferId) {
        Place place = places.remove(bufferId);
        return place == null ? Place.NEW : place;
    }

    /** Returns the places in buffers that had ended. If their places are removed, their publishers have left. */
    List<Place> ended() {
        return places.values().stream().filter(Place::isEnded).toList();
    }

    /** Adds a filter for which publishers have joined and left without the subscriber's knowledge. */
    void depart(String filter) {
        departed.add(filter);
    }

    /** Returns the topics of all buffers. */
    List<String> topics() {
        return places.values().stream().map(Place::topic).distinct().sorted().toList();
    }

    /** Removes everything. Returns the topics of all buffers, and the filters added by {@link #depart}. */
    List<String> takeDeparted() {
        departed.addAll(topics());
        List<String> names = List.copyOf(departed);
        clear();
        return names;
    }

    /** Removes everything. Returns the gaps for data that had arrived and will not be read. */
    List<Gap> takeAbandoned() {
        List<Gap> gaps = places.values().stream()
                .filter(place -> place.waitingLength() > 0)
                .map(Place::abandoned)
                .toList();
        clear();
        return gaps;
    }

    /** Returns true if the places belong to the given broker. */
    boolean isOf(long broker) {
        return brokerId == broker;
    }

    /** Removes all places. Places stored after this call belong to the given broker. */
    void begin(long broker) {
        clear();
        brokerId = broker;
    }

    private void clear() {
        places.clear();
        departed.clear();
    }
}
