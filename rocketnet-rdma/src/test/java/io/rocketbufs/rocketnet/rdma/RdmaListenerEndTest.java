package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.ChildJvm;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class RdmaListenerEndTest {
    /**
     * Settings that make the allocator overwrite freed memory, including memory that would otherwise go to the thread's
     * cache.
     */
    private static final Map<String, String> OVERWRITING_FREED =
            Map.of("MALLOC_PERTURB_", "85", "GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");

    /**
     * The tcp provider in libfabric 1.17 reads these requests through the endpoint even after the endpoint has been
     * freed.
     */
    @Test
    void shouldSurviveRequestsThatHaveArrivedWhenTheListenerCloses() throws Exception {
        ChildJvm child =
                ChildJvm.run(ChildJvm.homes().get(0), ClosingListener.class, all -> all.putAll(OVERWRITING_FREED));
        assertThat(child.output()).endsWith(ClosingListener.ALIVE + "\n");
        assertThat(child.exitStatus()).as(child.output()).isZero();
    }
}
