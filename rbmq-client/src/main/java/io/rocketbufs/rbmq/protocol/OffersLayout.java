package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.TransportOffer;
import io.rocketbufs.text.PlainText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Body of OFFERS: the id of the broker, and its listeners. Each listener has the name of its transport, and a text by
 * which that transport determines whether the client can reach the listener. Lengths are unsigned, in bytes of UTF-8.
 * Readers ignore any data after the listeners.
 *
 * <pre>
 *  0           8       9             10     10+n           12+n
 *  +-----------+-------+-------------+------+--------------+---------+-------------
 *  | broker id | count | name length | name | place length | place … | name length …
 *  +-----------+-------+-------------+------+--------------+---------+-------------
 * </pre>
 */
public final class OffersLayout {
    /** Maximum number of listeners in a message. */
    public static final int MAX_COUNT = 8;

    static final int FIXED_LENGTH = 9;
    private static final int MAX_NAME_LENGTH = 255;
    private static final int MAX_PLACE_LENGTH = 1024;

    private OffersLayout() {}

    /** Returns true if an offer is short enough for a message. */
    public static boolean fits(TransportOffer offer) {
        return offer.transport().getBytes(UTF_8).length <= MAX_NAME_LENGTH
                && offer.place().getBytes(UTF_8).length <= MAX_PLACE_LENGTH;
    }

    /** Writes an entire message for at most {@link #MAX_COUNT} listeners, all of which {@link #fits fit}. */
    public static ByteBuffer write(Offers offers) {
        ByteBuffer message = RbmqLayout.begin(RbmqType.OFFERS, length(offers))
                .putLong(offers.brokerId())
                .put((byte) offers.listeners().size());
        for (TransportOffer offer : offers.listeners()) {
            byte[] name = offer.transport().getBytes(UTF_8);
            byte[] place = offer.place().getBytes(UTF_8);
            message.put((byte) name.length)
                    .put(name)
                    .putShort((short) place.length)
                    .put(place);
        }
        return message.flip();
    }

    private static int length(Offers offers) {
        int length = FIXED_LENGTH;
        for (TransportOffer offer : offers.listeners()) {
            length += 1
                    + offer.transport().getBytes(UTF_8).length
                    + 2
                    + offer.place().getBytes(UTF_8).length;
        }
        return length;
    }

    /**
     * Reads a body of at least the fixed length.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when a length exceeds the message, or when there are no
     *     listeners or too many of them
     */
    public static Offers read(ByteBuffer body) {
        ByteBuffer from = body.duplicate();
        long brokerId = from.getLong();
        int count = from.get() & 0xff;
        if (count == 0 || count > MAX_COUNT) {
            throw RbmqLayout.violation("OFFERS has " + count + " listeners");
        }
        List<TransportOffer> listeners = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String transport = text(from, from.remaining() < 1 ? -1 : from.get() & 0xff);
            listeners.add(
                    new TransportOffer(transport, text(from, from.remaining() < 2 ? -1 : from.getShort() & 0xffff)));
        }
        return new Offers(brokerId, listeners);
    }

    private static String text(ByteBuffer from, int length) {
        if (length < 0 || length > from.remaining() || length > MAX_PLACE_LENGTH) {
            throw RbmqLayout.violation("OFFERS is truncated, or has a text of length=" + length);
        }
        byte[] text = new byte[length];
        from.get(text);
        return PlainText.of(text);
    }
}
