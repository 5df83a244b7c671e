package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/**
 * The part of {@link TransportContract} that covers splices between two transports. Publishers reach the broker over
 * one transport, and the broker reaches its subscribers over another. Each subclass supplies both transports, under
 * different names.
 */
@Timeout(600)
public abstract class MixedSplicesContract {
    private final Stage stage =
            new Stage(this::openUpstream, this::openDownstream, "127.0.0.1", this::onOverwrittenWrites);

    /** Opens a transport between publishers and brokers. */
    protected abstract Transport openUpstream(Config config);

    /** Opens a transport between brokers and subscribers. */
    protected abstract Transport openDownstream(Config config);

    /** Called if publishers in a test may overwrite memory that a broker is sending. */
    protected void onOverwrittenWrites() {}

    /** Closes the networks that the transports use, after everything else has been closed. */
    protected void closeNetworks() {}

    @AfterEach
    void close() {
        try {
            stage.close();
        } finally {
            closeNetworks();
        }
    }

    @Nested
    class Splices extends SpliceContract {
        Splices() {
            super(stage);
        }
    }

    @Nested
    class SplicesAndGaps extends SpliceGapContract {
        SplicesAndGaps() {
            super(stage);
        }
    }

    @Nested
    class OverwritingSplices extends SpliceOverwritingContract {
        OverwritingSplices() {
            super(stage);
        }
    }

    @Nested
    class SplicePolicies extends SplicePolicyContract {
        SplicePolicies() {
            super(stage);
        }
    }

    @Nested
    class SpliceEnds extends SpliceEndContract {
        SpliceEnds() {
            super(stage);
        }
    }
}
