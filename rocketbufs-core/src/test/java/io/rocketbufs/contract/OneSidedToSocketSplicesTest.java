package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import org.junit.jupiter.api.Tag;

@Tag("once")
class OneSidedToSocketSplicesTest extends MixedSplicesContract {
    private final LoopbackNetwork upstream = new LoopbackNetwork(
            LoopbackOptions.oneSided().longestControl(16 * 1024).socketCapacity(32 * 1024));
    private final LoopbackNetwork downstream = new LoopbackNetwork(
            LoopbackOptions.socket().longestControl(16 * 1024).socketCapacity(32 * 1024));

    @Override
    protected Transport openUpstream(Config config) {
        return upstream.transport("upstream");
    }

    @Override
    protected Transport openDownstream(Config config) {
        return downstream.transport("downstream");
    }

    @Override
    protected void onOverwrittenWrites() {
        downstream.checkWrites(false);
    }

    @Override
    protected void closeNetworks() {
        upstream.close();
        downstream.close();
    }
}
