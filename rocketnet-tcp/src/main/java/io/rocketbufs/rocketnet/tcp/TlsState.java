package io.rocketbufs.rocketnet.tcp;

/**
 * The state of an encrypted socket.
 *
 * <pre>
 *   CONNECTING ---&gt; HANDSHAKING ---&gt; OPEN
 *       |                |            |
 *       |                v            |
 *       |             FAILED          |
 *       |                |            |
 *       +----------------+------------+---&gt; CLOSED
 * </pre>
 */
enum TlsState {
    /** The connection is not established. */
    CONNECTING,
    /** The worker and the handshake thread use the socket alternately; no data can be read or written. */
    HANDSHAKING,
    /** Plain text can be read and written. */
    OPEN,
    /** The handshake has failed; the next read reports the reason. */
    FAILED,
    /** The socket is closed. */
    CLOSED
}
