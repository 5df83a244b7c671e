package io.rocketbufs.settings;

import java.util.List;

/**
 * Files that settings name, such as certificates, read again and checked, but not in force yet:
 *
 * <pre>
 *   READ ---apply---&gt; IN FORCE
 *     |                  |
 *     +------close-------+----&gt; closed; what is in force remains
 * </pre>
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> owns what was read until {@link #apply}.
 */
public interface ReloadedFiles extends AutoCloseable {
    /** The result when no file is in use. */
    ReloadedFiles NONE = new ReloadedFiles() {
        @Override
        public List<String> changes() {
            return List.of();
        }

        @Override
        public void apply() {
            // Nothing has changed.
        }

        @Override
        public void close() {
            // Nothing was read.
        }
    };

    /** Returns a line for each file whose content has changed in meaning; the lines contain no secrets. */
    List<String> changes();

    /** Puts the content in force for new connections. Fast; does not fail. */
    void apply();

    /** Releases what is not in force. Idempotent. */
    @Override
    void close();
}
