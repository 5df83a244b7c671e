package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * The behaviour that applications can rely on with every transport, grouped by topic. A transport's test subclasses
 * this class and supplies the transport.
 */
@Tag("once")
@Timeout(600)
public abstract class TransportContract {
    private final Stage stage = new Stage(this::open, host(), this::onOverwrittenWrites);

    /** Opens a transport that reaches the other transports of the same test. */
    protected abstract Transport open(Config config);

    /** Returns the numeric address that nodes listen on. */
    protected String host() {
        return "127.0.0.1";
    }

    /** Called when peers in a test may overwrite memory that this side is sending. */
    protected void onOverwrittenWrites() {}

    /** Returns true if the transport lets processes of this machine read files that have been granted to them. */
    protected boolean sharesFiles() {
        return false;
    }

    /** Closes the network that the transports use, after everything else. */
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
    class CreditOfAConnection extends ConnectionCreditContract {
        CreditOfAConnection() {
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
    class Joining extends JoinContract {
        Joining() {
            super(stage);
        }
    }

    @Nested
    class Starting extends StartContract {
        Starting() {
            super(stage);
        }
    }

    @Nested
    class Keeping extends KeepContract {
        Keeping() {
            super(stage);
        }
    }

    @Nested
    class Resuming extends ResumeContract {
        Resuming() {
            super(stage);
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract {
        Subscriptions() {
            super(stage);
        }
    }

    @Nested
    class Reservations extends ReservationContract {
        Reservations() {
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
    class SlowSubscribers extends SlowPolicyContract {
        SlowSubscribers() {
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
    class Discarding extends DiscardContract {
        Discarding() {
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
    class SlowWatches extends SlowWatchContract {
        SlowWatches() {
            super(stage);
        }
    }

    @Nested
    class SpliceEnds extends SpliceEndContract {
        SpliceEnds() {
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
    class WholeFiles extends WholeFileContract {
        WholeFiles() {
            super(stage, sharesFiles());
        }
    }

    @Nested
    class EndsOfGrants extends RevocationContract {
        EndsOfGrants() {
            super(stage);
        }
    }
}
