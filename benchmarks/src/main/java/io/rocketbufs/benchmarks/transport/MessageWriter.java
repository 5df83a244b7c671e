package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.WriteRequest;

/**
 * Writes message after message from our ring to the same place in the peer's; knows nothing of free space. A message
 * that is longer than the transport's longest write goes in pieces.
 *
 * <p><b>Thread-safety:</b> the holder of the connection's sending side.
 */
final class MessageWriter {
    /** Of the immediate data: the message's number. */
    static final int NUMBER = (1 << 30) - 1;
    /** Of the immediate data: the message goes on with the next write. */
    static final int MORE = 1 << 31;

    private final TransportConnection connection;
    private final Ring ring;
    private final RemoteBuffer remote;
    private final WriteRequest request = new WriteRequest(1);
    private final int longestPiece;
    private long count;
    private int offset;
    private int missing;

    MessageWriter(TransportConnection connection, Ring ring, RemoteAccess access) {
        this.connection = connection;
        this.ring = ring;
        this.remote = connection.remoteBuffer(access, ring.capacity());
        this.longestPiece = connection.capabilities().longestWrite();
        this.missing = ring.size();
    }

    /** Messages that were accepted as a whole. */
    long count() {
        return count;
    }

    /** Posts the next message, or the rest of one; false when the transport does not take all of it now. */
    boolean post() {
        do {
            int length = Math.min(missing, longestPiece);
            int more = length < missing ? MORE : 0;
            request.set(ring.region(), remote, offset, (int) count & NUMBER | more);
            ring.addTo(request.vecs(), offset, length);
            PostResult result = connection.write(request);
            if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
                return false;
            }
            offset = ring.next(offset, length);
            missing -= length;
        } while (missing > 0);
        missing = ring.size();
        count++;
        return true;
    }
}
