package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * The part of the transport contract that depends on how a transport moves bytes, and on how its connections end. A
 * variant of a transport, such as one with encryption, may differ only in these aspects. A variant therefore runs this
 * part in all test runs, and the whole {@link TransportContract} only in the slow tests.
 */
@Tag("once")
@Timeout(600)
public abstract class TransportVariantContract {
    private final Stage stage = new Stage(this::open, host(), this::onOverwrittenWrites);

    /** Opens a transport that reaches the other transports of the same test. */
    protected abstract Transport open(Config config);

    /** Returns the numeric address on which nodes listen. */
    protected String host() {
        return "127.0.0.1";
    }

    /** Called if peers in a test may overwrite memory that this side is sending. */
    protected void onOverwrittenWrites() {}

    /**
     * Returns true if the transport lets processes on this machine use files and words that have been granted to them.
     */
    protected boolean sharesFiles() {
        return false;
    }

    /** Closes the network that the transports use, after everything else has been closed. */
    protected void closeNetwork() throws Exception {}

    Stage stage() {
        return stage;
    }

    @AfterEach
    void close() throws Exception {
        try {
            stage.close();
        } finally {
            closeNetwork();
        }
    }

    @Nested
    class Deliveries extends DeliveryContract {
        Deliveries() {
            super(stage);
        }
    }

    @Nested
    class Credit extends CreditContract {
        Credit() {
            super(stage);
        }
    }

    @Nested
    class ControlMessages extends ControlContract {
        ControlMessages() {
            super(stage);
        }
    }

    @Nested
    class Closing extends CloseContract {
        Closing() {
            super(stage);
        }
    }

    @Nested
    class Losses extends LossContract {
        Losses() {
            super(stage);
        }
    }

    @Nested
    class HostilePeers extends HostilePeerContract {
        HostilePeers() {
            super(stage);
        }
    }

    @Nested
    class Blocking extends BlockingContract {
        Blocking() {
            super(stage);
        }
    }

    @Nested
    class Overwriting extends OverwritingContract {
        Overwriting() {
            super(stage);
        }
    }

    @Nested
    class DataOut extends DataOutContract {
        DataOut() {
            super(stage);
        }
    }

    @Nested
    class StoppedPeers extends StoppedPeerContract {
        StoppedPeers() {
            super(stage);
        }
    }

    @Nested
    class Splices extends SpliceContract {
        Splices() {
            super(stage);
        }
    }

    @Nested
    class MappedFiles extends MappedFileContract {
        MappedFiles() {
            super(stage);
        }
    }

    @Nested
    class MissingOperations extends MissingOperationsContract {
        MissingOperations() {
            super(stage);
        }
    }

    @Nested
    class MemoryOfThePeer extends RemoteMemoryContract {
        MemoryOfThePeer() {
            super(stage);
        }
    }

    @Nested
    class EndsOfGrants extends RevocationContract {
        EndsOfGrants() {
            super(stage);
        }
    }
}
