package io.rocketbufs.settings;

import java.util.List;

/**
 * Files named in settings, such as certificates, that have been reread and checked but are not in effect yet:
 *
 * <pre>
 *   READ ---apply---&gt; IN EFFECT
 *     |                  |
 *     +------close-------+----&gt; closed; the content in effect stays
 * </pre>
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> owns the content that was read, until {@link #apply} is
 * called.
 */
public interface ReloadedFiles extends AutoCloseable {
    /** The result if no file is in use. */
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

    /** Returns one line for each file whose content has changed in meaning. The lines contain no secrets. */
    List<String> changes();

    /** Puts the content into effect for new connections. Fast; does not fail. */
    void apply();

    /** Releases content that is not in effect. Idempotent. */
    @Override
    void close();
}
