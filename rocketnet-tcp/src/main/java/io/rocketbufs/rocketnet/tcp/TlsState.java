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
    /** The worker and the handshake's thread use the socket in turn; nothing can be read or written. */
    HANDSHAKING,
    /** Plain text is read and written. */
    OPEN,
    /** The handshake has failed; the next read reports why. */
    FAILED,
    /** The socket is closed. */
    CLOSED
}
