package cmd

var runnersCmd = &cobra.Command{
	Use:   "runners",
	Short: "calls /api/v4/runners?status=paused",
	Long:  "https://code.example.com/api/v4/runners?status=active",
}

func init() { runnersCmd.Flags().String("status", "active", "paused or active") }
