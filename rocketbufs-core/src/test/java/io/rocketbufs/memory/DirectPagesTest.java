package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DirectPagesTest {
    @Test
    void shouldReportTheLimitWhenASlabReaches2GiB() {
        try (MemoryPool pool = new MemoryPool(1, PageSource.direct("chosen by the test"))) {
            assertThatThrownBy(() -> pool.allocate(1L << 31))
                    .isInstanceOf(MemoryException.class)
                    .hasMessageContaining("length=" + (1L << 31))
                    .hasMessageContaining("a direct buffer holds at most");
        }
    }

    @Test
    @Timeout(600)
    void shouldReportLengthUseAndReasonWhenDirectMemoryIsExhausted() throws Exception {
        ChildJvm child = ChildJvm.run(Child.class, entry -> true, "-XX:MaxDirectMemorySize=8m");

        assertThat(child.output()).contains("cannot reserve memory: length=3145728, slab=3145728, allocated=6291456, ");
        assertThat(child.output()).contains("reserved=6291456, slabs=2: allocateDirect: ");
        assertThat(child.exitStatus()).isZero();
    }

    /** A program that tries to allocate more direct memory than the limit allows. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            try (MemoryPool pool = new MemoryPool(1, PageSource.direct("chosen by the test"))) {
                for (int i = 0; i < 3; i++) {
                    pool.allocate(3 << 20);
                }
            } catch (MemoryException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
