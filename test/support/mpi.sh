# mpi.sh - the environment in which scripts start MPI programs on this machine; sourced. Open MPI reads these variables
# in a launcher as in a program that no launcher started, MPICH needs none of them.
#
# Open MPI 4 starts jobs by ORTE, Open MPI 5 by PRRTE, and each ignores the other's names without a word: a rule for
# both is here twice. (PRRTE 3.0 waits 0.2 s before SIGKILL and has no name for that time.)
#
# Probing for fast networks is most of Open MPI's start-up: 0.4 s without the settings below, 0.05 to 0.2 s with them.
# SCREE_TEST_MPI=defaults leaves the choice to the MPI. On defaults run: `mpi_defaults` of test/meson.build, singletons.sh,
# the commands of README.md in doc_examples.sh; between_hosts.sh has settings of its own.
#
# When a rank fails, the launcher of Open MPI 4 sends the others SIGTERM and waits for the time below before SIGKILL,
# also when all have ended.
#
# A rank of Open MPI 4.1 that finalises notifies the launcher, waits at most 2 s for the answer, and ends. Where the machine
# stopped the launcher for longer, the job counts as failed ("exiting improperly"), although each rank ended well. The
# setting "without_sync" makes the launcher judge ranks by their exit codes alone.
# What the shell says of an allocation and of hosts is not for the tests, which run on this machine and make up their own.
unset SLURM_JOB_NUM_NODES SLURM_NTASKS SLURM_TASKS_PER_NODE SLURM_JOB_CPUS_PER_NODE SLURM_STEP_NUM_TASKS FLUX_JOB_SIZE \
  PBS_NODEFILE HYDRA_HOST_FILE OMPI_MCA_orte_default_hostfile PRTE_MCA_prte_default_hostfile
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none # ranks that share a core must be free to move
export OMPI_MCA_orte_allowed_exit_without_sync=${OMPI_MCA_orte_allowed_exit_without_sync-1}
export PRTE_MCA_prte_allowed_exit_without_sync=$OMPI_MCA_orte_allowed_exit_without_sync
export HWLOC_PLUGINS_PATH=${HWLOC_PLUGINS_PATH-/nowhere} # libraries for X11 and OpenCL are a fifth of a short launch
export OMPI_MCA_btl_vader_single_copy_mechanism=none # not permitted in many containers
export OMPI_MCA_btl_tcp_disable_family=6             # Open MPI 5 has warnings about IPv6, which are false: open-mpi/ompi#14079
if [ "${SCREE_TEST_MPI-}" != defaults ]; then
  export OMPI_MCA_pml=${OMPI_MCA_pml-ob1} OMPI_MCA_btl=${OMPI_MCA_btl-self,vader,tcp}
  export OMPI_MCA_ess_singleton_isolated=1
  export OMPI_MCA_odls_base_sigkill_timeout=${OMPI_MCA_odls_base_sigkill_timeout-0}
fi
